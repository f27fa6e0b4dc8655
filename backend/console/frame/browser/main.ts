// The script of every page of the console, behind htmx, which begins with the page as soon as it is left alone: what extends it is
// there by then.
import './leaving';
import './times';
import './unread';
import './lists';
import './stream';
import './steps';
import './fields';
import './files';
import '../../inbox/browser/keys';
import '../../lookup/browser/lookup';
import '../../widget/browser/widget';
import './alerts';
