import { useEffect, useRef } from 'react'

export interface TypeAheadProps {
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

/** For example a reload. */
const FUNCTION_KEY = /^F\d+$/

/** Takes the keys of a palette that loads. Otherwise they would reach the page behind it. */
export function TypeAhead(props: TypeAheadProps) {
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    let text = ''
    const take = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event
      // Windows reports AltGr, which types `@` on a German keyboard, as Ctrl and Alt.
      if (metaKey || ctrlKey !== altKey || FUNCTION_KEY.test(key)) return
      event.preventDefault()
      event.stopPropagation()
      if (key === 'Escape') latest.current.onClose()
      else if (key === 'Backspace') text = text.slice(0, -1)
      else if (key.length === 1) text += key
      latest.current.onText(text)
    }
    window.addEventListener('keydown', take, true)
    return () => window.removeEventListener('keydown', take, true)
  }, [])
  return null
}
