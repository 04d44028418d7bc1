import type { Rule } from '../../../api/management.ts'
import { isData } from './rule-words.ts'

export interface EditedRule {
  readonly key: number
  readonly rule: Rule
  /** JSON that is no rule yet. The rule has its last valid value. */
  readonly text?: string
}

export function editRules(rules: readonly Rule[] = []): readonly EditedRule[] {
  return rules.map((rule, key) => ({ key, rule }))
}

export function addRule(rules: readonly EditedRule[], rule: Rule): readonly EditedRule[] {
  return [...rules, { key: Math.max(-1, ...rules.map(({ key }) => key)) + 1, rule }]
}

export function isComplete(rules: readonly EditedRule[]): boolean {
  return rules.every(({ text }) => text === undefined)
}

/** The rule without members that are undefined. */
export function withMembers(rule: Rule, members: Partial<Record<keyof Rule, unknown>>): Rule {
  const changed = Object.entries({ ...rule, ...members }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(changed) as unknown as Rule
}

export function textOfRule(rule: Rule): string {
  return JSON.stringify(rule, null, 2)
}

/** Null for a text that is no rule. The server checks the contents. */
export function parseRule(text: string): Rule | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isData(value) || typeof value['action'] !== 'string') return null
    const { where, fields, set } = value
    const isWhole =
      isOptional(where, isData) && isOptional(fields, isNames) && isOptional(set, isData)
    return isWhole ? (value as unknown as Rule) : null
  } catch {
    return null
  }
}

function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value)
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

export interface RuleAction {
  readonly uid: string
  readonly verb: string
}

export function splitAction(action: string): RuleAction {
  const at = action.lastIndexOf('.')
  return { uid: action.slice(0, at), verb: action.slice(at + 1) }
}
