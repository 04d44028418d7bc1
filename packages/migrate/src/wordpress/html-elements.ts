import type { Mark } from '../blocks.ts'

export const SILENT_BLOCKS: ReadonlySet<string> = new Set(['spacer', 'more', 'nextpage'])

export const MARK_OF: ReadonlyMap<string, Mark> = new Map([
  ['strong', 'bold'],
  ['b', 'bold'],
  ['em', 'italic'],
  ['i', 'italic'],
  ['u', 'underline'],
  ['ins', 'underline'],
  ['s', 'strikethrough'],
  ['del', 'strikethrough'],
  ['strike', 'strikethrough'],
  ['code', 'code'],
  ['kbd', 'code'],
  ['tt', 'code'],
])

export const CONTAINERS =
  'p div section article main aside header footer nav center address dl dt dd details summary fieldset form tbody figcaption'
export const PASSED =
  'span small abbr time font label q cite var big mark dfn bdi bdo wbr picture source legend'
export const DROPPED =
  'script style noscript svg canvas template input button select textarea map link meta'
export const EMBEDS = 'iframe video audio embed object'
