import { isRecord } from '../../base/is-record.ts'
import type { Data, ScalarType } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  isNesting,
  type NestingPlan,
  type ShapePlan,
} from '../../schema/plan.ts'

/** In UTF-16 units per attribute. */
const MAX_TEXT_LENGTH = 500_000

/** The text of an attribute, in the order of its content. Private members are left out. */
export function textOfAttribute(attribute: AttributePlan, value: unknown): string {
  const texts: string[] = []
  collect(attribute, value, texts)
  return texts.join('\n').slice(0, MAX_TEXT_LENGTH)
}

function collect(attribute: AttributePlan, value: unknown, texts: string[]): void {
  if (attribute.private) return
  if (isNesting(attribute)) collectElements(attribute, value, texts)
  else if (attribute.kind !== 'scalar') return
  else if (attribute.type === 'blocks') collectNodes(value, texts)
  else if (PLAIN_TYPES.has(attribute.type) && typeof value === 'string') {
    texts.push(attribute.type === 'richtext' ? textOfMarkdown(value) : value)
  }
}

const PLAIN_TYPES: ReadonlySet<ScalarType> = new Set<ScalarType>([
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
])

function collectElements(attribute: NestingPlan, value: unknown, texts: string[]): void {
  for (const element of Array.isArray(value) ? value : [value]) {
    if (!isRecord(element)) continue
    const component = componentOf(attribute, element)
    if (component !== undefined) collectMembers(component, element, texts)
  }
}

function collectMembers({ attributes }: ShapePlan, element: Data, texts: string[]): void {
  for (const attribute of attributes.values()) {
    if (attribute.kind !== 'scalar' || attribute.searchable) {
      collect(attribute, element[attribute.name], texts)
    }
  }
}

/** A paragraph is one text, because its parts may split a word. */
function collectNodes(nodes: unknown, texts: string[]): void {
  if (!Array.isArray(nodes)) return
  for (const node of nodes) {
    if (!isRecord(node)) continue
    if (node['type'] === 'image' && isRecord(node['image'])) {
      const { alternativeText } = node['image']
      if (typeof alternativeText === 'string') texts.push(alternativeText)
    }
    const { children } = node
    if (!Array.isArray(children)) continue
    if (children.some(isText)) texts.push(inlineText(children))
    else collectNodes(children, texts)
  }
}

function isText(node: unknown): boolean {
  return isRecord(node) && typeof node['text'] === 'string'
}

function inlineText(nodes: readonly unknown[]): string {
  return nodes
    .map((node) => {
      if (!isRecord(node)) return ''
      if (typeof node['text'] === 'string') return node['text']
      return Array.isArray(node['children']) ? inlineText(node['children']) : ''
    })
    .join('')
}

/** Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,500}>/gu
const TARGETS = /\]\([^()\n]{0,1000}\)/gu
const REFERENCES = /^ {0,3}\[[^\]\n]{1,200}\]:[^\n]*$/gmu

/** Words of links and of code stay. Their addresses and HTML tags do not. */
function textOfMarkdown(markdown: string): string {
  return markdown
    .slice(0, MAX_TEXT_LENGTH)
    .replace(REFERENCES, ' ')
    .replace(TARGETS, '] ')
    .replace(TAGS, ' ')
}
