package retain

// NowBy is Now by another clock of this node.
var NowBy = nowBy
