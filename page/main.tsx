import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './app.css';
import { beginFeed } from './live/feed.ts';
import { App } from './parts/app.tsx';

beginFeed();
render(<App />, document.getElementById('app')!);
