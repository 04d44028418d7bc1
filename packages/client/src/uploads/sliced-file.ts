/** A file whose bytes are read in parts. A `Blob` is one. */
export interface SlicedFile {
  readonly size: number
  /** Its MIME type. */
  readonly type: string
  /** The bytes from `start` up to `end`, which may be beyond the last one. */
  slice(start: number, end: number): Blob | Promise<Blob>
}
