//! `hitscan page`: a template of the npm package with a mesh.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::support::{cuboid, file, folder, hitscan, path};

const TEMPLATE: &str = "<html><i><!--HITSCAN-ABOUT--></i><b><!--HITSCAN-MESH--></b>engine</html>";

#[test]
fn a_page_holds_the_name_and_the_cache_file_of_the_mesh() {
    let folder = folder();
    let template = file(folder.path(), "t.html", TEMPLATE);
    let page = path(folder.path(), "p.html");
    hitscan(&format!("page {} -o {page} --template {template}", cuboid())).expect_code(0);
    let text = fs::read_to_string(&page).expect("the page was written");
    let (before, rest) = text.split_once("<b>").expect("the template has one");
    let (mesh, after) = rest.split_once("</b>").expect("the template has one");
    assert!(before.contains(r#""name":"c.obj""#), "{before}");
    assert_eq!(after, "engine</html>");
    let cache = file(folder.path(), "c", STANDARD.decode(mesh).expect("it is base64"));
    let cast =
        |file: &str| hitscan(&format!("cast {file} --from 4,-7,-4 --to 2,3,4")).expect_code(0);
    assert_eq!(cast(&cache).stdout, cast(cuboid()).stdout);
    // Nothing in it tells where the mesh was.
    let bytes = fs::read(&cache).expect("it was written");
    let place = fs::canonicalize(cuboid()).expect("it exists");
    let place = place.parent().expect("it is in a folder").to_str().expect("it is UTF-8");
    assert!(!bytes.windows(place.len()).any(|bytes| bytes == place.as_bytes()));
}

#[test]
fn a_missing_or_wrong_template_is_an_error_that_says_how_to_get_one() {
    let folder = folder();
    let page = path(folder.path(), "p.html");
    let run = |flags: &str| hitscan(&format!("page {} -o {page} {flags}", cuboid()));
    run("").expect_error(&["npm install hitscan", "--template FILE"]);
    run("--template no-such-file").expect_error(&["no-such-file: cannot read the template"]);
    for wrong in ["", "<!--HITSCAN-ABOUT-->", &format!("{TEMPLATE}<!--HITSCAN-ENGINE-->")] {
        let template = file(folder.path(), "t.html", wrong);
        run(&format!("--template {template}"))
            .expect_error(&["t.html: not the template of a page", "npm run"]);
    }
    assert!(!Path::new(&page).exists());
}
