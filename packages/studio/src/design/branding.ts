interface Branding {
  readonly title: string | null
  /** An address of this server. */
  readonly logo: string | null
  /** The server accepts known custom properties with colours and lengths only. */
  readonly cssVariables: Readonly<Record<string, string>>
  readonly links: readonly { readonly label: string; readonly url: string }[]
}

const NO_BRANDING: Branding = { title: null, logo: null, cssVariables: {}, links: [] }

/** The server writes the member `studio` of `quire.config.ts` into the page. */
function readBranding(): Branding {
  const given = document.querySelector<HTMLMetaElement>('meta[name="quire-branding"]')?.content
  return given === undefined ? NO_BRANDING : (JSON.parse(given) as Branding)
}

export const branding = readBranding()

/** The name of the Studio. */
export const studioName = branding.title ?? 'Quire'

const TITLE_END = ` · ${studioName}`

/** The title of the tab for a page. */
export function tabTitle(page: string): string {
  return page + TITLE_END
}

/** The title of the page that the tab shows. */
export function currentPageTitle(): string {
  const { title } = document
  return title.endsWith(TITLE_END) ? title.slice(0, -TITLE_END.length) : title
}

/** The policy of the page forbids style elements, but not this. */
export function applyBranding(): void {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(branding.cssVariables)) style.setProperty(name, value)
}
