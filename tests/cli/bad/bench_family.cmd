bench hotspo
