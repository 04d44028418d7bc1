import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './link-form.module.css'
import type { Editor } from './open-blocks-editor.ts'

export interface LinkFormProps {
  readonly editor: Editor
  readonly onDone: () => void
}

export function LinkForm({ editor, onDone }: LinkFormProps) {
  const { t } = useTexts()
  const [url, setUrl] = useState(() => String(editor.getAttributes('link')['url'] ?? ''))
  const input = useRef<HTMLInputElement>(null)
  // Not `autoFocus`: the form has no position before its first effects.
  useEffect(() => input.current?.focus(), [])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const chain = editor.chain().focus().extendMarkRange('link')
    if (url.trim() === '') chain.unsetMark('link').run()
    else if (editor.state.selection.empty && !editor.isActive('link')) {
      const text = {
        type: 'text',
        text: url.trim(),
        marks: [{ type: 'link', attrs: { url: url.trim() } }],
      }
      chain.insertContent(text).run()
    } else chain.setMark('link', { url: url.trim() }).run()
    onDone()
  }
  return (
    <form className={styles['link']} onSubmit={submit}>
      <input
        ref={input}
        className={styles['url']}
        aria-label={t('blocks.url')}
        placeholder="https://"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onDone()
          editor.commands.focus()
        }}
      />
      <Button small type="submit">
        {t(url.trim() === '' ? 'blocks.unlink' : 'blocks.setLink')}
      </Button>
    </form>
  )
}
