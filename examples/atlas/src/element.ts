type Child = Node | string | null | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Creates an element. Null and false attributes are left out, and strings become text nodes. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '')
    else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, String(value))
    }
  }
  made.append(...children.filter((child): child is Node | string => isThere(child)))
  return made
}

function isThere(child: Child): boolean {
  return child !== null && child !== undefined && child !== false
}
