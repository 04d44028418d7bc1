import type { Definitions } from './definition.ts'

export const PREVIEW_PLACES = ['documentId', 'locale', 'status', 'secret'] as const

const PLACE = /\{([^{}]*)\}/g

export interface PreviewProblem {
  readonly place: string | null
}

export function previewProblem(template: string): PreviewProblem | null {
  const unknown = [...template.matchAll(PLACE)]
    .map(([, name = '']) => name)
    .find((name) => !(PREVIEW_PLACES as readonly string[]).includes(name))
  if (unknown !== undefined) return { place: unknown }
  return previewOrigin(template) === null ? { place: null } : null
}

export function previewOrigin(template: string): string | null {
  const [beginning = ''] = template.split('{', 1)
  const origin = /^https?:\/\/[^/?#@\s]+(?=[/?#])/.exec(beginning)?.[0]
  if (origin === undefined || !URL.canParse(origin)) return null
  return new URL(origin).origin
}

export function previewOrigins({ contentTypes }: Definitions): readonly string[] {
  const origins = contentTypes.flatMap(({ preview = '' }) => previewOrigin(preview) ?? [])
  return [...new Set(origins)]
}

export function fillPreview(
  template: string,
  values: Readonly<Record<(typeof PREVIEW_PLACES)[number], string>>,
): string {
  return template.replaceAll(PLACE, (_, name: (typeof PREVIEW_PLACES)[number]) =>
    encodeURIComponent(values[name]),
  )
}
