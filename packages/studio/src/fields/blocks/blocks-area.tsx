import { useRef, useState } from 'react'
import { notifyFailure } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ChooseFiles } from '../media/choose-files.tsx'
import { UploadRow } from '../media/upload-row.tsx'
import { AtSelection } from './at-selection.tsx'
import { BlockGrip } from './block-grip.tsx'
import styles from './blocks-area.module.css'
import { BlocksTools } from './blocks-tools.tsx'
import type { BlockMove } from './move-block.ts'
import { useBlockGrip } from './use-block-grip.ts'
import { useBlockPictures } from './use-block-pictures.ts'
import { type BlocksAreaProps, useEditor } from './use-editor.ts'
import { useSlash } from './use-slash.ts'

export function BlocksArea(props: BlocksAreaProps) {
  const { t } = useTexts()
  const host = useRef<HTMLDivElement>(null)
  const [isFocused, focus] = useState(false)
  const [isLinking, link] = useState(false)
  const [isChoosing, choose] = useState(false)
  const [notice, announce] = useState('')
  const { tables, canInsertTables } = props
  const createTable = canInsertTables ? (tables?.createTable ?? null) : null
  const slash = useSlash(createTable, () => choose(true))
  const onMoved = ({ position, count }: BlockMove): void =>
    announce(t('blocks.moved', { position, of: count }))
  const editor = useEditor(host, props, {
    onTransaction: slash.follow,
    onLink: () => link(true),
    onKey: slash.press,
    onFiles: (files, at) => pictures.take(files, at),
    onPicturesLeftOut: () => notifyFailure(t('blocks.picturesLeftOut')),
    onMoved,
  })
  const pictures = useBlockPictures(editor)
  const writable = props.isReadOnly ? null : editor
  const grip = useBlockGrip(writable, onMoved)
  const frame = props.names['aria-invalid'] === true ? styles['invalid'] : ''
  return (
    <div
      className={`${styles['area']} ${frame}`}
      onFocus={() => focus(true)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) focus(false)
      }}
    >
      {writable !== null && (
        <BlocksTools
          {...{ isLinking, onMoved, canInsertTables }}
          TableTool={tables?.Tool}
          editor={writable}
          onLink={link}
          onPicture={() => choose(true)}
        />
      )}
      <div className={styles['body']} {...grip.area}>
        <div ref={host} className={styles['host']} onBlur={slash.close} />
        {writable !== null && (
          <>
            <BlockGrip grip={grip} />
            <AtSelection {...{ slash, isFocused, isLinking }} editor={writable} onLink={link} />
          </>
        )}
      </div>
      <div role="status" className={styles['unseen']}>
        {slash.state === null ? notice : t('blocks.found', { count: slash.state.items.length })}
      </div>
      {pictures.uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onDrop={() => pictures.drop(upload.id)} />
      ))}
      {isChoosing && (
        <ChooseFiles
          kinds={['images']}
          isPrivate={false}
          isMultiple={false}
          onClose={() => choose(false)}
          onUpload={pictures.take}
          onChosen={([image]) => {
            if (image !== undefined) pictures.insert(image)
          }}
        />
      )}
    </div>
  )
}
