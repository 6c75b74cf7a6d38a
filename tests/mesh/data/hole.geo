// Square with a circular hole: curved sides, groups that overlap, a group known by number only.
// Centre point 5 is a node that no element uses.
DefineConstant[ h = {1, Name "Parameters/h"}, r = 0.5, outer = {2, Name "Shape/half width", Min 1} ];
Point(1) = {-outer, -outer, 0, h};
Point(2) = {outer, -outer, 0, h};
Point(3) = {outer, outer, 0, h};
Point(4) = {-outer, outer, 0, h};
Point(5) = {0, 0, 0};
Point(6) = {r, 0, 0, h};
Point(7) = {0, r, 0, h};
Point(8) = {-r, 0, 0, h};
Point(9) = {0, -r, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Circle(5) = {6, 5, 7};
Circle(6) = {7, 5, 8};
Circle(7) = {8, 5, 9};
Circle(8) = {9, 5, 6};
Curve Loop(1) = {1 : 4};
Curve Loop(2) = {5 : 8};
Plane Surface(1) = {1, 2};
Physical Curve("wall") = {1, 2, 3, 4};
Physical Curve("hole") = {5 : 8};
Physical Curve("everything") = {1 : 8};
Physical Curve(77) = {4};
Physical Surface("domain") = {1};
