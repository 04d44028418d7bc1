import styles from './avatar.module.css'

export interface AvatarProps {
  readonly name: string
  /** The colour of a person (`personTone`). */
  readonly tone?: number
}

export function Avatar({ name, tone }: AvatarProps) {
  const words = name.trim().split(/\s+/)
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x20))
    .join('')
    .trim()
  return (
    <span className={styles['avatar']} title={name} aria-hidden="true" data-person-tone={tone}>
      {initials.toUpperCase()}
    </span>
  )
}
