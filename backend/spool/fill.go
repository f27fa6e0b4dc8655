package spool

import "os"

// fill writes zeros from the end of the file up to the size.
func fill(f *os.File, end, size int64) error {
	for end < size {
		n, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-end)], end)
		if err != nil {
			return err
		}
		end += int64(n)
	}
	return nil
}
