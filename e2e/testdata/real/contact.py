# A site with a contact form, as Django's tutorial makes one: python3 contact.py HOST:PORT
import sys

import django
from django import forms
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse, HttpResponseRedirect
from django.template import Context, Engine
from django.middleware.csrf import get_token
from django.urls import path

settings.configure(
    DEBUG=False,
    SECRET_KEY="a key of the tests",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.gzip.GZipMiddleware",
    ],
)
django.setup()


class ContactForm(forms.Form):
    full_name = forms.CharField(max_length=100)
    phone_number = forms.CharField(widget=forms.TextInput(attrs={"type": "tel"}))
    email = forms.EmailField(required=False)
    message = forms.CharField(widget=forms.Textarea)


page = Engine().from_string(
    """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lamps</title></head>
<body><h1>Lamps</h1><p id="number">8 (495) 123-45-67</p>
<form method="post">{{ token }}{{ form.as_p }}<button>Send</button></form></body></html>"""
)


def contact(request):
    form = ContactForm(request.POST or None)
    if form.is_valid():
        return HttpResponseRedirect("/thanks/")
    from django.utils.html import format_html

    token = format_html('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', get_token(request))
    return HttpResponse(page.render(Context({"form": form, "token": token})))


def thanks(request):
    return HttpResponse("<!doctype html><title>Thanks</title><p>Thank you.")


urlpatterns = [path("contact/", contact), path("thanks/", thanks)]
execute_from_command_line([sys.argv[0], "runserver", sys.argv[1], "--noreload"])
