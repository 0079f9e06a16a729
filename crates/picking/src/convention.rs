//! The conventions of graphics APIs and engines for depth and pixels.

/// The depth that a view-projection matrix gives to the near and far planes.
///
/// A far plane at infinity needs no setting, because the matrix encodes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthRange {
    /// 0 near, 1 far: Direct3D, Vulkan, Metal, wgpu.
    #[default]
    ZeroToOne,
    /// 1 near, 0 far: reversed depth, which spreads floating-point precision evenly.
    Reversed,
    /// -1 near, 1 far: OpenGL, WebGL.
    MinusOneToOne,
}

/// The direction of pixel y relative to the y of clip space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PixelY {
    /// Pixel y grows against clip space y: windows whose first row is at the top, with a matrix that puts
    /// +1 at the top.
    #[default]
    Down,
    /// Pixel y grows with clip space y: windows whose first row is at the bottom, or Vulkan matrices,
    /// which put -1 at the top, with pixels from the top.
    Up,
}

/// The meaning of a view-projection matrix and of a pixel position.
///
/// The constants cover common engines and APIs. Handedness needs no setting, because the matrix encodes
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Convention {
    /// The depths of the near and far planes.
    pub depth_range: DepthRange,
    /// The direction of pixel y.
    pub pixel_y: PixelY,
}

impl Convention {
    /// wgpu, WebGPU, Direct3D, Metal: depth 0 to 1, pixels from the top.
    pub const WGPU: Self = Self { depth_range: DepthRange::ZeroToOne, pixel_y: PixelY::Down };
    /// Bevy and Unreal: depth 1 to 0, with a finite or infinite far plane, pixels from the top.
    pub const BEVY: Self = Self { depth_range: DepthRange::Reversed, pixel_y: PixelY::Down };
    /// Vulkan with a matrix that flips y: depth 0 to 1, pixels from the top.
    pub const VULKAN: Self = Self { depth_range: DepthRange::ZeroToOne, pixel_y: PixelY::Up };
    /// OpenGL, and Unity's `Camera.projectionMatrix` with `Input.mousePosition`: depth -1 to 1, pixels
    /// from the bottom.
    pub const OPENGL: Self = Self { depth_range: DepthRange::MinusOneToOne, pixel_y: PixelY::Up };
    /// three.js, Babylon.js and Godot's `Camera3D`: matrices as in OpenGL, pixels from the top.
    pub const THREE_JS: Self =
        Self { depth_range: DepthRange::MinusOneToOne, pixel_y: PixelY::Down };
}
