import { Suspense, useRef, useState } from 'react'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { CodeArea } from '../code/code-area.tsx'
import type { CodeEditor } from '../code/code-editor.ts'
import { pictureMarkdown } from '../code/picture-markdown.ts'
import { isOfKind } from '../media/file-kinds.ts'
import { UploadRow } from '../media/upload-row.tsx'
import { useUploads } from '../media/use-uploads.ts'
import toolbar from '../editor/toolbar.module.css'
import styles from './markdown-area.module.css'
import { MarkdownTools } from './markdown-tools.tsx'

const MarkdownPreview = lazyPart(
  async () => (await import('./markdown-preview.tsx')).MarkdownPreview,
)

export interface MarkdownAreaProps {
  readonly text: string
  readonly label: string
  readonly isInvalid: boolean
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

/** A Markdown editor with tools and a preview, next to the text or, on a narrow screen, instead. */
export function MarkdownArea({ text, label, isInvalid, isReadOnly, onChange }: MarkdownAreaProps) {
  const { t } = useTexts()
  const editor = useRef<CodeEditor | null>(null)
  const [isChoosing, choose] = useState(false)
  const [isPreviewing, preview] = useState(false)
  const { uploads, drop, take } = usePictures(editor)
  const insert = ({ url, alternativeText }: FileValue): void => {
    const { current } = editor
    current?.insert(current.hold(), pictureMarkdown(url, alternativeText))
    current?.focus()
  }
  const toggle = (
    <button
      type="button"
      className={`${toolbar['tool']} ${toolbar['word']} ${styles['toggle']}`}
      aria-pressed={isPreviewing}
      onClick={() => preview(!isPreviewing)}
    >
      {t('markdown.preview')}
    </button>
  )
  return (
    <div className={`${styles['area']} ${isInvalid ? styles['invalid'] : ''}`}>
      {isReadOnly ? (
        <div className={toolbar['bar']}>{toggle}</div>
      ) : (
        <MarkdownTools
          {...{ isChoosing }}
          onChoose={choose}
          onTool={(tool) => editor.current?.apply(tool)}
          onChosen={insert}
          onUpload={(files) => take(files)}
        >
          {toggle}
        </MarkdownTools>
      )}
      <div className={styles['panes']} data-previewing={isPreviewing || undefined}>
        <CodeArea
          language="markdown"
          isWithin
          {...{ text, label, isInvalid, isReadOnly, onChange }}
          onOpen={(opened) => {
            editor.current = opened
          }}
          onFiles={take}
          onPicture={() => choose(true)}
        />
        {isPreviewing && (
          <LoadBoundary>
            <Suspense>
              <MarkdownPreview {...{ text, label }} />
            </Suspense>
          </LoadBoundary>
        )}
      </div>
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onDrop={() => drop(upload.id)} />
      ))}
    </div>
  )
}

/** Uploads pictures and inserts each one at its position, which follows later changes. */
function usePictures(editor: { readonly current: CodeEditor | null }) {
  const { t } = useTexts()
  const places = useRef(new Map<number, number>())
  const { uploads, start, drop } = useUploads(({ url, alternativeText }, id) => {
    const place = places.current.get(id)
    if (place !== undefined) editor.current?.insert(place, pictureMarkdown(url, alternativeText))
  })
  const take = (files: readonly File[], hold = () => editor.current?.hold()): void => {
    const pictures = files.filter(({ type }) => isOfKind(type, ['images']))
    if (pictures.length < files.length) notifyFailure(t('media.wrongKind'))
    for (const id of start(pictures)) {
      const place = hold()
      if (place !== undefined) places.current.set(id, place)
    }
  }
  return { uploads, drop, take }
}
