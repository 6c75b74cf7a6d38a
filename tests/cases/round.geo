h = 0.2;
Point(1) = {0,0,0,h}; Point(2) = {1,0,0,h}; Point(3) = {1,2,0,h}; Point(4) = {0,2,0,h}; Point(5)={0.3,0,0,h/2};
Line(1) = {1,5}; Line(2) = {5,2}; Line(3) = {2,3}; Line(4) = {3,4}; Line(5) = {4,1};
Curve Loop(1) = {1,2,3,4,5}; Plane Surface(1) = {1};
Physical Curve("outlet") = {1}; Physical Curve("floor") = {2}; Physical Curve("wall") = {3}; Physical Curve("top") = {4};
Physical Surface("body") = {1};
