// SPDX-License-Identifier: GPL-3.0-or-later
// A column of grains, left <= x <= left + 1 and 0 <= y <= a, in an empty box: its outline is in the mesh.
// Groups: base, wall (left), right, top.
DefineConstant[
  a = {1.0, Name "height of the column, its width being 1"}
  W = {3.6, Name "width of the box"}
  left = {0, Name "its left side: with -1 the front of the grains is their run-out"}
  H = {1.2, Name "height of the box, more than a"}
  low = {H, Name "height of the box at its right side: tall columns need no roof above their toe"}
  h = {0.14, Name "size of the triangles"}
  far = {h, Name "size at the upper left corner, where there is nothing but void"}
];
If (H - (H - low) / W <= a)
  Error("the roof, from H at the left to low at the right, passes through the column: H or low must be larger");
EndIf
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = far;
Point(1) = {left, 0, 0, h};
Point(2) = {left + 1, 0, 0, h};
Point(3) = {left + 1, a, 0, h};
Point(4) = {left, a, 0, h};
Point(5) = {left + W, 0, 0, h};
Point(6) = {left + W, low, 0, h};
Point(7) = {left, H, 0, far};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Line(5) = {2, 5};
Line(6) = {5, 6};
Line(7) = {6, 7};
Line(8) = {7, 4};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Curve Loop(2) = {5, 6, 7, 8, -3, -2};
Plane Surface(2) = {2};
Physical Surface("domain") = {1, 2};
Physical Surface("grains") = {1};
Physical Curve("base") = {1, 5};
Physical Curve("wall") = {4, 8};
Physical Curve("right") = {6};
Physical Curve("top") = {7};
