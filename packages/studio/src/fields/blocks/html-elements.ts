/** The declarations of the `style` attribute. The CSP of the page empties `element.style`. */
export function styleOf(element: Element): Readonly<Record<string, string>> {
  const declarations = (element.getAttribute('style') ?? '').split(';').map((one) => {
    const [name = '', ...value] = one.split(':')
    return [name.trim().toLowerCase(), value.join(':').trim().toLowerCase()] as const
  })
  return Object.fromEntries(declarations)
}

export function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes)
}

export function replaceTag(element: Element, tag: string): void {
  const replacement = element.ownerDocument.createElement(tag)
  replacement.append(...element.childNodes)
  element.replaceWith(replacement)
}

export function childrenOfBody(body: HTMLElement): readonly Element[] {
  return [...body.children]
}
