"""What tests share: pages, servers, crawls, algorithms that misbehave, properties."""
