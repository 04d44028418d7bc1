import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Toasts } from '../design/toasts.tsx'
import { LanguageProvider } from './language.tsx'
import { queryClient } from './query-client.ts'
import { router } from './routes.tsx'
import { SignInAgain } from './sign-in-again.tsx'

export function Studio() {
  return (
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <RouterProvider router={router} />
        <SignInAgain />
        <Toasts />
      </LanguageProvider>
    </QueryClientProvider>
  )
}
