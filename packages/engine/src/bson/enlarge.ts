/** Returns a buffer with the first `used` bytes and room for `length` more. Its size at least doubles. */
export function enlarge(buffer: Buffer, used: number, length: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, used + length))
  buffer.copy(larger, 0, 0, used)
  return larger
}
