export { lockRoute, type ReplyLike } from './lock-route.ts';
export {
  type InstanceLike,
  lockRoutes,
  type LockRoutesOptions,
  type RequestLike,
  sectionOf,
} from './lock-routes.ts';
export type { RouteOptions, RouteSection } from '../routes/run-locked.ts';
