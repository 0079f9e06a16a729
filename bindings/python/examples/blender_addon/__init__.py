"""Drops the selected objects onto the surfaces below them, by hitscan.

    maturin build --release --out examples/blender_addon/wheels
    blender --command extension build --source-dir examples/blender_addon
    blender --command extension install-file --repo user_default --enable drop_to_surface-1.0.0.zip

The operator is in the menu Object, and under F3 as "Drop to Surface".
"""

import bpy
import numpy as np
from hitscan.blender import SceneTree


def drop_heights(tree, falling, corners):
    """Return how far an object falls until one of its corners meets another object; inf for never.

    Parameters
    ----------
    tree : SceneTree
    falling : str
        The name of the object.
    corners : (n, 3) array
        Points of the object in world space.
    """
    own = [id for id, name in tree.objects.items() if name == falling]
    down = np.broadcast_to([0.0, 0.0, -1.0], corners.shape)
    return float(tree.scene.closest_hits(corners, down, ignore=own).t.min(initial=np.inf))


class OBJECT_OT_drop_to_surface(bpy.types.Operator):
    """Let the selected objects fall straight down onto what lies below their vertices."""

    bl_idname = "object.drop_to_surface"
    bl_label = "Drop to Surface"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context):
        """Return whether anything can fall."""
        return context.mode == "OBJECT" and any(o.type == "MESH" for o in context.selected_objects)

    def execute(self, context):
        """Move the lowest objects first, so that others land on them."""
        falling = [o for o in context.selected_objects if o.type == "MESH"]
        n_dropped = 0
        for subject in sorted(falling, key=lambda o: o.matrix_world.translation.z):
            depsgraph = context.evaluated_depsgraph_get()
            mesh = subject.evaluated_get(depsgraph).data
            local = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", local)
            matrix = np.array(subject.matrix_world)
            corners = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
            height = drop_heights(SceneTree(depsgraph), subject.name, corners)
            if np.isfinite(height):
                subject.matrix_world.translation.z -= height
                context.view_layer.update()
                n_dropped += 1
        self.report({"INFO"}, f"{n_dropped} of {len(falling)} objects dropped")
        return {"FINISHED"}


def _menu(self, context):
    self.layout.operator(OBJECT_OT_drop_to_surface.bl_idname)


def register():
    """Add the operator and its entry in the menu."""
    bpy.utils.register_class(OBJECT_OT_drop_to_surface)
    bpy.types.VIEW3D_MT_object.append(_menu)


def unregister():
    """Remove both."""
    bpy.types.VIEW3D_MT_object.remove(_menu)
    bpy.utils.unregister_class(OBJECT_OT_drop_to_surface)
