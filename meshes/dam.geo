// SPDX-License-Identifier: GPL-3.0-or-later
// dam.geo -- a column of grains, 0 <= x <= 1 and 0 <= y <= a, in an empty box, and an obstacle on the floor before it: at <= x <= at + w, of height b.
// Groups: base, wall (left), obstacle, right, top.
DefineConstant[
  a = {1, Name "height of the column, its width being 1"}
  at = {2, Name "place of the face of the obstacle"}
  w = {0.3, Name "its width"}
  b = {0.5, Name "its height"}
  W = {3.6, Name "width of the box"}
  H = {1.2, Name "height of the box, more than a"}
  h = {0.14, Name "size of the triangles"}
];
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {1, a, 0, h};
Point(4) = {0, a, 0, h};
Point(5) = {at, 0, 0, h};
Point(6) = {at, b, 0, h};
Point(7) = {at + w, b, 0, h};
Point(8) = {at + w, 0, 0, h};
Point(9) = {W, 0, 0, h};
Point(10) = {W, H, 0, h};
Point(11) = {0, H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Line(5) = {2, 5};
Line(6) = {5, 6};
Line(7) = {6, 7};
Line(8) = {7, 8};
Line(9) = {8, 9};
Line(10) = {9, 10};
Line(11) = {10, 11};
Line(12) = {11, 4};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Curve Loop(2) = {5 : 12, -3, -2};
Plane Surface(2) = {2};
Physical Surface("domain") = {1, 2};
Physical Curve("base") = {1, 5, 9};
Physical Curve("wall") = {4, 12};
Physical Curve("obstacle") = {6, 7, 8};
Physical Curve("right") = {10};
Physical Curve("top") = {11};
