//! How the field's graphics interfaces and engines number depth and pixels.

/// What depth a view-projection matrix gives to the near and to the far plane.
///
/// A far plane at infinity needs no word: it is in the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthRange {
    /// 0 near, 1 far: Direct3D, Vulkan, Metal, wgpu.
    #[default]
    ZeroToOne,
    /// 1 near, 0 far: the same with reversed depth, which spreads precision evenly.
    Reversed,
    /// -1 near, 1 far: OpenGL, WebGL.
    MinusOneToOne,
}

/// Where pixels with a large y are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PixelY {
    /// Pixel y grows against the y of clip space: windows whose first row is the top one, with any
    /// matrix that puts +1 at the top.
    #[default]
    Down,
    /// Pixel y grows with the y of clip space: windows whose first row is the bottom one, and
    /// Vulkan's matrices, which put -1 at the top, with pixels from the top.
    Up,
}

/// How to read a view-projection matrix and a pixel; see the constants for the usual ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Convention {
    /// The depth of the near and of the far plane.
    pub depth_range: DepthRange,
    /// The direction of pixel y.
    pub pixel_y: PixelY,
}

impl Convention {
    /// wgpu, WebGPU, Direct3D, Metal: depth 0 to 1, pixels from the top.
    pub const WGPU: Self = Self { depth_range: DepthRange::ZeroToOne, pixel_y: PixelY::Down };
    /// Bevy, and Unreal: depth 1 to 0 (with a far plane at infinity or not), pixels from the top.
    pub const BEVY: Self = Self { depth_range: DepthRange::Reversed, pixel_y: PixelY::Down };
    /// Vulkan with a matrix that flips y: depth 0 to 1, pixels from the top.
    pub const VULKAN: Self = Self { depth_range: DepthRange::ZeroToOne, pixel_y: PixelY::Up };
    /// OpenGL, and what `Camera.projectionMatrix` and `Input.mousePosition` are in Unity: depth -1
    /// to 1, pixels from the bottom.
    pub const OPENGL: Self = Self { depth_range: DepthRange::MinusOneToOne, pixel_y: PixelY::Up };
    /// three.js, Babylon.js and Godot's `Camera3D`: matrices as in OpenGL, pixels from the top.
    pub const THREE_JS: Self =
        Self { depth_range: DepthRange::MinusOneToOne, pixel_y: PixelY::Down };
}
