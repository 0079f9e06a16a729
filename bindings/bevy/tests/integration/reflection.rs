//! Inspectors see the public components and resources, and change them.

use bevy_app::App;
use bevy_asset::AssetPlugin;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy_mesh::MeshPlugin;
use bevy_reflect::{GetPath, Reflect, TypePath, std_traits::ReflectDefault};
use hitscan_bevy::{
    HitscanEdits, HitscanHit, HitscanPickFilter, HitscanPickOrder, HitscanPickingPlugin,
    HitscanPolygons, HitscanSettings,
};

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((AssetPlugin::default(), MeshPlugin, HitscanPickingPlugin));
    app
}

#[test]
fn all_public_types_are_registered_and_have_defaults() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let get = |path: &str| registry.get_with_type_path(path).expect("the plugin registers it");
    for path in
        [HitscanSettings::type_path(), HitscanEdits::type_path(), HitscanPolygons::type_path()]
    {
        let registration = get(path);
        assert!(registration.data::<ReflectResource>().is_some(), "{path}");
        assert!(registration.data::<ReflectDefault>().is_some(), "{path}");
    }
    for path in [HitscanPickFilter::type_path(), HitscanPickOrder::type_path()] {
        let registration = get(path);
        assert!(registration.data::<ReflectComponent>().is_some(), "{path}");
        assert!(registration.data::<ReflectDefault>().is_some(), "{path}");
    }
    assert_eq!(get(HitscanHit::type_path()).type_info().as_struct().unwrap().field_len(), 10);
}

#[test]
fn an_inspector_changes_settings_and_orders_by_their_names() {
    let mut app = app();
    let mut settings = app.world_mut().resource_mut::<HitscanSettings>();
    *settings.path_mut::<usize>("scan_limit").unwrap() = 7;
    assert_eq!(settings.scan_limit, 7);
    let entity = app.world_mut().spawn_empty().id();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let registration = registry.get(std::any::TypeId::of::<HitscanPickOrder>()).unwrap();
    let component = registration.data::<ReflectComponent>().unwrap();
    let value: &dyn Reflect = &HitscanPickOrder(2.0);
    let mut entity_mut = app.world_mut().entity_mut(entity);
    component.insert(&mut entity_mut, value.as_partial_reflect(), &registry);
    assert_eq!(app.world().get(entity), Some(&HitscanPickOrder(2.0)));
}
