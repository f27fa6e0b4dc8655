// The page of conversations: what is said comes and goes without a reload. It stands before the script of every page, which opens
// the stream: nothing is heard before it is listened to.
import { byId } from '../../frame/browser/events';
import { boxOf } from './box';
import './list';
import './keys';
import { logOf } from './log';
import { repliesOf } from './replies';
import { sendFrom } from './sending';
import { openTalk } from './talk';
import { showWho } from './who';
import { sendAllLeft } from './unsent';
import { workOn } from './work';

const talk = openTalk();
sendAllLeft(talk?.at);
if (talk) {
  const written = boxOf(talk, byId('chats').dataset.me!);
  sendFrom(talk, logOf(talk), written, repliesOf(talk, written));
  workOn(talk);
  showWho();
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target === talk.box && !event.defaultPrevented) {
      talk.box.blur();
    }
  });
}
