import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository; tests run from `dist/test/support`. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The Markdown pages of the repository, as paths from its root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'packages', 'tools', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/(^|\/)node_modules\//.test(name))
      .map((name) => join(folder, name)),
  ),
].sort()

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readPage(page).matchAll(/^#+ (.+)$/gm)
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)))
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** A block of code, with the language of its fence; an indented block has none. */
export interface CodeBlock {
  readonly page: string
  readonly language: string
  readonly text: string
}

export function codeBlocksOf(page: string): readonly CodeBlock[] {
  const text = readPage(page)
  const fenced = [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)].map(
    ([, language = '', block = '']) => ({ page, language, text: block }),
  )
  const rest = text.replaceAll(/^ *```.*?^ *```$/gms, '')
  const indented = [...rest.matchAll(/(?:^ {4}.*\n(?:\s*\n(?= {4}))*)+/gm)].map(([block]) => ({
    page,
    language: '',
    text: block,
  }))
  return [...fenced, ...indented]
}
