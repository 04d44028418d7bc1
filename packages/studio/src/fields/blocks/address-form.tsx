import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './link-form.module.css'
import { type LinkFormProps, removeLink, setLink } from './set-link.ts'

/** An empty address removes the link. */
export function AddressForm({ editor, onDone }: LinkFormProps) {
  const { t } = useTexts()
  const [url, setUrl] = useState(() => {
    const { entry = null, url: held = '' } = editor.getAttributes('link')
    return entry === null ? String(held) : ''
  })
  const input = useRef<HTMLInputElement>(null)
  // Not `autoFocus`: the form has no position before its first effects.
  useEffect(() => input.current?.focus(), [])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const address = url.trim()
    if (address === '') removeLink(editor)
    else setLink(editor, { url: address, entry: null }, address)
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
      />
      <Button small type="submit">
        {t(url.trim() === '' ? 'blocks.unlink' : 'blocks.setLink')}
      </Button>
    </form>
  )
}
