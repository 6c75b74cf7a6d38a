// SPDX-License-Identifier: GPL-3.0-or-later
// drop.geo -- a vessel with a block of grains that hangs in it, across all of its width: lower and upper side are in the mesh.
// Groups: bottom, side (both), top.
DefineConstant[
  W = {1, Name "width of the vessel"}
  H = {1, Name "its height"}
  gap = {0.3, Name "height of the block above the bottom"}
  b = {0.5, Name "height of the block"}
  h = {0.1, Name "size of the triangles"}
];
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
z[] = {0, gap, gap + b, H};
For k In {0 : 3}
  Point(2 * k + 1) = {0, z[k], 0, h};
  Point(2 * k + 2) = {W, z[k], 0, h};
  Line(k + 1) = {2 * k + 1, 2 * k + 2};
EndFor
For k In {0 : 2}
  Line(2 * k + 11) = {2 * k + 1, 2 * k + 3};
  Line(2 * k + 12) = {2 * k + 2, 2 * k + 4};
  Curve Loop(k + 1) = {k + 1, 2 * k + 12, -(k + 2), -(2 * k + 11)};
  Plane Surface(k + 1) = {k + 1};
EndFor
Physical Surface("domain") = {1 : 3};
Physical Curve("bottom") = {1};
Physical Curve("side") = {11 : 16};
Physical Curve("top") = {4};
