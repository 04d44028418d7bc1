const CONTROL =
  ':is(input:not([type=file]), textarea, select, [role=switch], [contenteditable=true], [data-open])'
/** Where an editor will stand once it is loaded, in a shadow root. */
const COMING = '[data-code]:not([data-open])'

/** Puts the cursor into the first field within; into an editor that is not loaded yet when it is there. */
export function focusField(within: HTMLElement | null | undefined): void {
  const first = within?.querySelector<HTMLElement>(`[data-field] :is(${CONTROL}, ${COMING})`)
  if (first === null || first === undefined) return
  if (!first.matches(COMING)) return focusOn(first)
  const observer = new MutationObserver(() => {
    observer.disconnect()
    // Who has begun to type elsewhere meanwhile goes on there.
    if (document.activeElement?.matches(CONTROL) !== true) focusOn(first)
  })
  observer.observe(first, { attributeFilter: ['data-open'] })
}

function focusOn(control: HTMLElement): void {
  const within = control.shadowRoot?.querySelector<HTMLElement>('[contenteditable]')
  const target = within ?? control
  target.focus()
}

/** Focuses the first of these that is there: what had the focus is gone. */
export function focusFirst(within: HTMLElement | null, selectors: readonly string[]): void {
  const found = selectors.map((one) => within?.querySelector<HTMLElement>(one))
  found.find((one) => one !== null && one !== undefined)?.focus()
}
