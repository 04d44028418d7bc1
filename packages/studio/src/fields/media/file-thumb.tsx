import { Icon } from '../../design/icons/icon.tsx'
import type { IconName } from '../../design/icons/icons.ts'
import type { FileValue } from '../../entry/values.ts'
import styles from './media-field.module.css'

const KINDS: Readonly<Record<string, IconName>> = { video: 'video', audio: 'audio' }

export function FileThumb({
  file,
  size = 40,
}: {
  readonly file: FileValue
  readonly size?: number
}) {
  const [kind = ''] = file.mime.split('/')
  const box = { width: size * 1.4, height: size }
  if (kind === 'image') {
    return (
      <img
        className={styles['thumb']}
        src={thumbnailUrl(file, size)}
        alt=""
        style={box}
        loading="lazy"
      />
    )
  }
  return (
    <span className={styles['thumb']} style={box}>
      <Icon name={KINDS[kind] ?? 'page'} />
    </span>
  )
}

function thumbnailUrl({ url, formats }: FileValue, size: number): string {
  const small = formats?.[size > 64 ? 'small' : 'thumbnail'] ?? formats?.['thumbnail']
  return small?.url ?? url
}
