import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { isToMany } from '../api/attributes.ts'
import { apiNameOf, declarationQuery, typesQuery } from '../api/content-types.ts'
import { localesQuery } from '../api/locales.ts'
import { preferencesQuery } from '../api/preferences.ts'
import { ApiError } from '../api/request.ts'
import { type Session, sessionQuery, startQuery } from '../api/session.ts'
import { Skeleton } from '../design/late.tsx'
import { loadPart } from '../design/load-part.tsx'
import { readCalendarSearch } from '../screens/calendar/calendar-search.ts'
import { readMediaSearch } from '../screens/media/media-search.ts'
import { readEntrySearch } from '../screens/entry/entry-search.ts'
import { readListSearch } from '../screens/list/list-search.ts'
import { Missing } from '../design/missing.tsx'
import { Failure, MissingPage } from './failure.tsx'
import { Frame } from './frame.tsx'
import { queryClient } from './query-client.ts'
import { readSignInSearch } from './sign-in-search.ts'

interface RouterContext {
  readonly queryClient: QueryClient
}

const lazyScreen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadPart(load), name)

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: MissingPage,
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  loader: ({ context }) => context.queryClient.ensureQueryData(startQuery),
  component: lazyScreen(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
})

const firstStartRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/first-start',
  component: lazyScreen(() => import('./first-start-screen.tsx'), 'FirstStartScreen'),
})

const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  loader: ({ context }) => context.queryClient.ensureQueryData(startQuery),
  component: lazyScreen(() => import('./forgot-password-screen.tsx'), 'ForgotPasswordScreen'),
})

const choosePasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/choose-password',
  component: lazyScreen(() => import('./choose-password-screen.tsx'), 'ChoosePasswordScreen'),
})

async function loadSession(
  client: QueryClient,
  location: { readonly href: string },
): Promise<Session> {
  try {
    return await client.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    // oxlint-disable-next-line typescript/only-throw-error -- the API of the router
    throw redirect({ to: '/sign-in', search: { to: location.href } })
  }
}

const secondFactorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/second-factor',
  beforeLoad: async ({ context, location }) => {
    await loadSession(context.queryClient, location)
  },
  component: lazyScreen(() => import('./second-factor-screen.tsx'), 'SecondFactorScreen'),
})

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const { lacksSecondFactor } = await loadSession(context.queryClient, location)
    // oxlint-disable-next-line typescript/only-throw-error -- the API of the router
    if (lacksSecondFactor) throw redirect({ to: '/second-factor' })
  },
  loader: ({ context }) => context.queryClient.ensureQueryData(typesQuery),
  component: Frame,
})

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyScreen(() => import('../screens/home/home-screen.tsx'), 'HomeScreen'),
})

/**
 * Starts all requests of a list together, or already when the pointer is over its link. Otherwise
 * each part would wait for the previous one.
 */
async function prepareList(client: QueryClient, name: string): Promise<void> {
  // On a direct visit the types are not loaded yet. The screen shows errors.
  const types = await client.ensureQueryData(typesQuery).catch(() => [])
  const type = types.find((one) => apiNameOf(one) === name)
  if (type?.kind !== 'collectionType') return
  void import('../screens/list/list-screen.tsx').catch(() => undefined) // the screen shows the error
  void client.prefetchQuery(localesQuery)
  void client.prefetchQuery(preferencesQuery)
  const own = declarationQuery(type.uid)
  await client.prefetchQuery(own)
  const attributes = Object.values(client.getQueryData(own.queryKey)?.attributes ?? {})
  const shown = attributes.flatMap((attribute) =>
    attribute.type === 'relation' && !isToMany(attribute) ? [attribute.target] : [],
  )
  const targets = types.filter(({ uid }) => shown.includes(uid))
  await Promise.all(targets.map(({ uid }) => client.prefetchQuery(declarationQuery(uid))))
}

const contentRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/content/$type',
  validateSearch: readListSearch,
  loader: ({ context, params }) => {
    void prepareList(context.queryClient, params.type)
  },
  component: lazyScreen(() => import('../screens/content/content-screen.tsx'), 'ContentScreen'),
})

const entryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/content/$type/$documentId',
  validateSearch: readEntrySearch,
  component: lazyScreen(() => import('../screens/content/entry-route.tsx'), 'EntryRoute'),
})

const mediaRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/media',
  validateSearch: readMediaSearch,
  component: lazyScreen(() => import('../screens/media/media-screen.tsx'), 'MediaScreen'),
})

const trashRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/trash',
  component: lazyScreen(() => import('../screens/trash/trash-screen.tsx'), 'TrashScreen'),
})

const calendarRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calendar',
  validateSearch: readCalendarSearch,
  component: lazyScreen(() => import('../screens/calendar/calendar-screen.tsx'), 'CalendarScreen'),
})

const releasesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/releases',
  component: lazyScreen(() => import('../screens/planning/releases-screen.tsx'), 'ReleasesScreen'),
})

const releaseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/releases/$release',
  component: lazyScreen(() => import('../screens/planning/release-screen.tsx'), 'ReleaseScreen'),
})

const settingsScreen = lazyScreen(
  () => import('../screens/settings/settings-screen.tsx'),
  'SettingsScreen',
)

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: settingsScreen,
})

const settingsSectionRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/$section',
  component: settingsScreen,
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  firstStartRoute,
  forgotPasswordRoute,
  choosePasswordRoute,
  secondFactorRoute,
  shellRoute.addChildren([
    homeRoute,
    contentRoute,
    entryRoute,
    mediaRoute,
    trashRoute,
    calendarRoute,
    releasesRoute,
    releaseRoute,
    settingsRoute,
    settingsSectionRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: '/studio',
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Skeleton,
  defaultPendingMs: 300,
  defaultErrorComponent: Failure,
  defaultNotFoundComponent: Missing,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
