const TEXTS = 'input:not([type=checkbox], [type=radio]), textarea, select, [role=textbox]'

/** Whether a key press goes to a text field or an editor, including editors in a shadow root. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXTS))
}
