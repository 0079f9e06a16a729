// The first hit of a ray at two triangles, from C# by P/Invoke. Debian's mono runs it:
//
//     mcs FirstHit.cs && LD_LIBRARY_PATH=/usr/local/lib mono FirstHit.exe
//
// Structs have the layout of hitscan.h. Those that begin with a size are zeros, with the size of the struct.

using System;
using System.Runtime.InteropServices;

static class Native
{
    const string Library = "hitscan";

    [StructLayout(LayoutKind.Sequential)]
    public struct Positions
    {
        public UIntPtr Size;
        public IntPtr Data;
        public UIntPtr N;
        public UIntPtr Stride;
        public uint Number; // 0: float
        public uint KeepOrigin;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Triangles
    {
        public UIntPtr Size;
        public IntPtr Data;
        public UIntPtr N;
        public UIntPtr Stride;
        public uint Number; // 0: 32 bits
        public uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Ray
    {
        public float Ox, Oy, Oz, Dx, Dy, Dz, TMin, TMax;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Hit
    {
        public float T, U, V;
        public uint Triangle; // uint.MaxValue: none
        public uint Side;
    }

    [DllImport(Library)] public static extern int hitscan_mesh_new(ref Positions positions, ref Triangles triangles, out IntPtr mesh);
    [DllImport(Library)] public static extern int hitscan_mesh_release(IntPtr mesh);
    [DllImport(Library)] public static extern int hitscan_bvh_build(IntPtr mesh, IntPtr options, out IntPtr bvh);
    [DllImport(Library)] public static extern int hitscan_bvh_closest_hit(IntPtr bvh, ref Ray ray, IntPtr options, out Hit hit);
    [DllImport(Library)] public static extern int hitscan_bvh_closest_hit_batch(IntPtr bvh, Ray[] rays, UIntPtr n, UIntPtr rayStride, IntPtr options, [Out] Hit[] hits, UIntPtr hitStride);
    [DllImport(Library)] public static extern int hitscan_bvh_release(IntPtr bvh);
    [DllImport(Library)] public static extern IntPtr hitscan_last_error();
}

static class FirstHit
{
    static void Check(int status)
    {
        if (status != 0)
            throw new InvalidOperationException(Marshal.PtrToStringAnsi(Native.hitscan_last_error()));
    }

    static IntPtr Build(float[] corners, uint[] indices)
    {
        var positions = new Native.Positions { Size = (UIntPtr)Marshal.SizeOf<Native.Positions>() };
        var triangles = new Native.Triangles { Size = (UIntPtr)Marshal.SizeOf<Native.Triangles>() };
        // The library copies the arrays, so they stay in place only during the call.
        var pinned = new[] { GCHandle.Alloc(corners, GCHandleType.Pinned), GCHandle.Alloc(indices, GCHandleType.Pinned) };
        IntPtr mesh, bvh;
        try
        {
            positions.Data = pinned[0].AddrOfPinnedObject();
            positions.N = (UIntPtr)(corners.Length / 3);
            triangles.Data = pinned[1].AddrOfPinnedObject();
            triangles.N = (UIntPtr)(indices.Length / 3);
            Check(Native.hitscan_mesh_new(ref positions, ref triangles, out mesh));
        }
        finally
        {
            foreach (var handle in pinned) handle.Free();
        }
        Check(Native.hitscan_bvh_build(mesh, IntPtr.Zero, out bvh));
        Check(Native.hitscan_mesh_release(mesh));
        return bvh;
    }

    static void Main()
    {
        var bvh = Build(new float[] { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 }, new uint[] { 0, 1, 2, 0, 2, 3 });
        var down = new Native.Ray { Ox = 0.7f, Oy = 0.2f, Oz = 5, Dz = -1, TMax = float.PositiveInfinity };
        Native.Hit hit;
        Check(Native.hitscan_bvh_closest_hit(bvh, ref down, IntPtr.Zero, out hit));
        Console.WriteLine("triangle {0} at {1}", hit.Triangle, hit.T);

        var miss = down;
        miss.Ox = 9;
        var hits = new Native.Hit[2];
        Check(Native.hitscan_bvh_closest_hit_batch(bvh, new[] { down, miss }, (UIntPtr)2, UIntPtr.Zero, IntPtr.Zero, hits, UIntPtr.Zero));
        Console.WriteLine("{0} of 2 rays hit", hits[1].Triangle == uint.MaxValue ? 1 : 2);

        down.Dz = 0;
        try
        {
            Check(Native.hitscan_bvh_closest_hit(bvh, ref down, IntPtr.Zero, out hit));
        }
        catch (InvalidOperationException error)
        {
            Console.WriteLine(error.Message);
        }
        Check(Native.hitscan_bvh_release(bvh));
    }
}
