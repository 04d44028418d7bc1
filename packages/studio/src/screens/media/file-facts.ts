import type { Texts } from '../../texts/texts.ts'

export interface FactsOfFile {
  readonly ext?: string | null
  readonly mime: string
  /** In kilobytes. */
  readonly size?: number | null
  readonly width?: number | null
  readonly height?: number | null
}

/** Such as `PNG · 600 × 400 · 12 kB`. */
export function fileFactsOf(
  { ext, mime, size, width, height }: FactsOfFile,
  { bytes }: Pick<Texts, 'bytes'>,
): string {
  const kind = (ext ?? mime).replace('.', '').toUpperCase()
  const pixels = width && height ? `${width} × ${height}` : null
  const weight = size ? bytes(size * 1000) : null
  return [kind, pixels, weight].filter((part) => part !== null).join(' · ')
}
