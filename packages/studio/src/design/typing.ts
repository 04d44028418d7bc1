const TEXTS = 'input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox]'

/** Whether a key is pressed in a text, an editor in a shadow root included: then a plain key is a letter. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXTS))
}
