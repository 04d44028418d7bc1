import { type IconName, ICONS } from './icons.ts'

export interface IconProps {
  readonly name: IconName
  readonly size?: number
}

export function Icon({ name, size = 16 }: IconProps) {
  return <Drawing path={ICONS[name]} size={size} />
}

export interface DrawingProps {
  readonly path: string
  readonly size?: number
}

/** A decorative line drawing. The text next to it has the meaning. */
export function Drawing({ path, size = 16 }: DrawingProps) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  )
}
