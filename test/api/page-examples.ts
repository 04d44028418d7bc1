/**
 * The examples of a page: a `curl` line of an indented block, with the lines continued by a
 * backslash or an open quote.
 */
export function examplesIn(page: string): readonly string[] {
  const examples: string[] = []
  let isOpen = false
  for (const line of page.split('\n').filter((each) => each.startsWith('    '))) {
    if (isOpen) examples.push(`${examples.pop() ?? ''}\n${line}`)
    else if (line.startsWith('    curl ')) examples.push(line.trim())
    else continue
    isOpen = goesOn(examples.at(-1) ?? '')
  }
  return examples
}

function goesOn(example: string): boolean {
  return example.endsWith('\\') || example.split("'").length % 2 === 0
}
