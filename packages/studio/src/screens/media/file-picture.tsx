import type { MediaFile } from '../../api/files.ts'
import { previewOf } from '../../api/file-preview.ts'
import { Icon } from '../../design/icons/icon.tsx'
import type { IconName } from '../../design/icons/icons.ts'
import styles from './files.module.css'

const ICONS: Readonly<Record<string, IconName>> = { video: 'video', audio: 'audio' }

export function FilePicture({ file }: { readonly file: MediaFile }) {
  const source = previewOf({ ...file, formats: file.formats ?? null }, 'small')
  const { x, y } = file.focalPoint ?? { x: 50, y: 50 }
  return (
    <span className={styles['picture']}>
      {source === null ? (
        <Icon name={ICONS[file.mime.split('/')[0] ?? ''] ?? 'page'} size={28} />
      ) : (
        <img src={source} alt="" loading="lazy" style={{ objectPosition: `${x}% ${y}%` }} />
      )}
    </span>
  )
}
