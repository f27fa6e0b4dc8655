// The page of conversations: what is said comes and goes without a reload. It stands before the script of every page, which opens
// the stream: nothing is heard before it is listened to.
import { byId } from '../../frame/browser/events';
import { boxOf } from './box';
import './list';
import './keys';
import { logOf } from './log';
import { repliesOf } from './replies';
import { sendFrom } from './sending';
import { openConversation } from './conversation';
import { showWho } from './who';
import { sendAllLeft } from './unsent';
import { workOn } from './work';

const conversation = openConversation();
sendAllLeft(conversation?.at);
if (conversation) {
  const written = boxOf(conversation, byId('chats').dataset.me!);
  sendFrom(conversation, logOf(conversation), written, repliesOf(conversation, written));
  workOn(conversation);
  showWho();
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target === conversation.box && !event.defaultPrevented) {
      conversation.box.blur();
    }
  });
}
