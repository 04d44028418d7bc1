/** Puts the cursor into the first field within. */
export function focusField(within: HTMLElement | null | undefined): void {
  const field = within?.querySelector<HTMLElement>(
    '[data-field] :is(input, textarea, select, [role=switch])',
  )
  field?.focus()
}

/** Focuses the first of these that is there: what had the focus is gone. */
export function focusFirst(within: HTMLElement | null, selectors: readonly string[]): void {
  const found = selectors.map((one) => within?.querySelector<HTMLElement>(one))
  found.find((one) => one !== null && one !== undefined)?.focus()
}
