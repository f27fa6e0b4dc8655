package weave

// ReadAll makes the replacer read every byte, with nothing skimmed.
func (z *Replacer) ReadAll() { z.scanner.tokenizer.skim = nil }
