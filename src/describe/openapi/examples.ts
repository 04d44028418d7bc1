import { ValidationError } from '../../base/errors.ts'
import type { ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'

type Data = Readonly<Record<string, unknown>>

export function exampleOf(plan: ContentTypePlan): Data | null {
  const values = [...plan.attributes.values()].flatMap((attribute) => {
    if (attribute.kind !== 'scalar' || attribute.writable === false) return []
    const value = valueOf(attribute, plan)
    return value === undefined ? [] : [[attribute.name, value] as const]
  })
  const example = Object.fromEntries(values)
  const isWhole = [...plan.attributes.values()].every(
    ({ name, required }) => !required || name in example,
  )
  return isWhole ? example : null
}

const VALUES: Readonly<Partial<Record<ScalarType, unknown>>> = {
  text: 'A sentence or two.',
  richtext: 'Some *Markdown*.',
  email: 'marie@example.org',
  password: 'correct horse',
  biginteger: '9007199254740993',
  decimal: '19.90',
  boolean: true,
  date: '2026-01-31',
  time: '12:30:00',
  datetime: '2026-01-31T12:30:00.000Z',
  timestamp: '2026-01-31T12:30:00.000Z',
  json: { any: 'value' },
  location: { latitude: 51.51, longitude: -0.13 },
  blocks: [{ type: 'paragraph', children: [{ type: 'text', text: 'A paragraph' }] }],
}

function valueOf(attribute: ScalarPlan, plan: ContentTypePlan): unknown {
  const { limits, type, name } = attribute
  if (limits.regex !== undefined) return undefined
  if (type === 'enumeration') return limits.enum?.[0]
  if (type === 'integer' || type === 'float') return numberWithin(limits)
  const value = VALUES[type] ?? (type === 'uid' ? 'an-example' : `A ${name}`)
  return fits(plan, name, value) ? value : undefined
}

function numberWithin({ min, max }: ScalarPlan['limits']): number {
  const lower = typeof min === 'number' ? min : 0
  const upper = typeof max === 'number' ? max : lower + 42
  return Math.min(Math.max(42, lower), upper)
}

function fits({ validators }: ContentTypePlan, name: string, value: unknown): boolean {
  try {
    validators.direct({ [name]: value }, { creating: false })
    return true
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}
