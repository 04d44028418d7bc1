import { encode } from 'uqr'
import styles from './qr-code.module.css'

export interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** Drawn in the browser, so that the text stays there. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data } = encode(text, { ecc: 'M', border: 4 })
  const size = data.length
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={styles['code']}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
