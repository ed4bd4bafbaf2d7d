help run why
