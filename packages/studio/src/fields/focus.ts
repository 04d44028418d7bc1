const CONTROL =
  ':is(input:not([type=file]), textarea, select:not([role=toolbar] select), [role=switch], [contenteditable=true], [data-open])'
/** Where an editor will stand once it is loaded, in a shadow root. */
const COMING = '[data-code]:not([data-open])'

/**
 * Puts the cursor into the first field within; into an editor that is not loaded yet when it is there. False
 * where nothing can be typed.
 */
export function focusField(within: HTMLElement | null | undefined): boolean {
  const first = within?.querySelector<HTMLElement>(`[data-field] :is(${CONTROL}, ${COMING})`)
  if (first === null || first === undefined) return false
  if (!first.matches(COMING)) {
    focusOn(first)
    return true
  }
  const observer = new MutationObserver(() => {
    observer.disconnect()
    // Who has begun to type elsewhere meanwhile goes on there.
    if (document.activeElement?.matches(CONTROL) !== true) focusOn(first)
  })
  observer.observe(first, { attributeFilter: ['data-open'] })
  return true
}

function focusOn(control: HTMLElement): void {
  const within = control.shadowRoot?.querySelector<HTMLElement>('[contenteditable]')
  const target = within ?? control
  target.focus()
}

/**
 * Brings what is wrong first into sight, with the cursor in it: a field, or a folded component that holds one.
 * False where nothing is wrong.
 */
export function focusProblem(): boolean {
  const sign = document.querySelector<HTMLElement>('[aria-invalid], [data-problem]')
  const field = sign?.closest<HTMLElement>('button, [data-field]')
  if (field === null || field === undefined) return false
  field.scrollIntoView({ block: 'center' })
  if (field.matches('button')) field.focus()
  else if (!focusField(field)) focusFirst(field, ['button'])
  return true
}

/** Focuses the first of these that is there: what had the focus is gone. */
export function focusFirst(within: HTMLElement | null, selectors: readonly string[]): void {
  const found = selectors.map((one) => within?.querySelector<HTMLElement>(one))
  found.find((one) => one !== null && one !== undefined)?.focus()
}
