// SPDX-License-Identifier: GPL-3.0-or-later
// silo.geo -- half of a plane silo 0 <= x <= W/2, 0 <= y <= H, symmetry axis x = 0 (dimensionless).
//
// Parameters: D  width of the outlet (the whole of it: the half model has 0 <= x <= D/2)
//             W  width of the silo
//             H  height of the filling
//             h  size of the sides far from the outlet
//             refine  the sides at the outlet are h / refine,
//             across  or, if this is not 0, D / across: so many sides across the whole outlet
// Groups:     axis (x = 0), outlet (y = 0, x <= D/2), wall (bottom and side), top (y = H)
DefineConstant[
  D = {1, Name "Parameters/D"},
  W = {8, Name "Parameters/W"},
  H = {8, Name "Parameters/H"},
  h = {0.6, Name "Parameters/h"},
  refine = {5, Name "Parameters/refine"},
  across = {0, Name "Parameters/across"}
];
If (across > 0)
  fine = D / across;
Else
  fine = h / refine;
EndIf
Point(1) = {0, 0, 0, fine};
Point(2) = {D / 2, 0, 0, fine};
Point(3) = {W / 2, 0, 0, h};
Point(4) = {W / 2, H, 0, h};
Point(5) = {0, H, 0, h};
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
