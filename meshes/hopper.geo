// SPDX-License-Identifier: GPL-3.0-or-later
// hopper.geo -- half of a plane bin with a hopper, symmetry axis x = 0 (dimensionless).
//
// Parameters: D  width of the outlet (the whole of it: the half model has 0 <= x <= D/2)
//             W  width of the bin
//             H  height of the filling above the transition
//             angle   of the hopper wall with the vertical, in degrees
//             h  size of the sides far from the outlet
//             across  sides across the whole outlet
// Groups:     axis (x = 0), outlet (y = 0, x <= D/2), wall (hopper and bin), top
DefineConstant[
  D = {1, Name "Parameters/D"},
  W = {4, Name "Parameters/W"},
  H = {4, Name "Parameters/H"},
  angle = {30, Name "Parameters/angle"},
  h = {0.4, Name "Parameters/h"},
  across = {8, Name "Parameters/across"}
];
fine = D / across;
y1 = (W - D) / 2 / Tan(angle * Pi / 180);
Point(1) = {0, 0, 0, fine};
Point(2) = {D / 2, 0, 0, fine};
Point(3) = {W / 2, y1, 0, h};
Point(4) = {W / 2, y1 + H, 0, h};
Point(5) = {0, y1 + H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Line(5) = {5, 1};
Curve Loop(1) = {1 : 5};
Plane Surface(1) = {1};
Physical Curve("outlet") = {1};
Physical Curve("wall") = {2, 3};
Physical Curve("top") = {4};
Physical Curve("axis") = {5};
Physical Surface("grains") = {1};
