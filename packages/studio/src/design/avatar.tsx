import styles from './avatar.module.css'

export function Avatar({ name }: { readonly name: string }) {
  const words = name.trim().split(/\s+/)
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x20))
    .join('')
    .trim()
  return (
    <span className={styles['avatar']} title={name} aria-hidden="true">
      {initials.toUpperCase()}
    </span>
  )
}
