package weave

// ReadAll makes the replacer read every byte, with nothing skimmed.
func (z *Replacer) ReadAll() { z.scanner.tokenizer.skim = nil }

// ShapeOf is what must be the same of two pages that differ in digits only.
var ShapeOf = shapeOf
